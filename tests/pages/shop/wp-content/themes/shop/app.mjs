import { word } from "./util.mjs";
document.title += word;
