import { word } from "./lib.js";
document.title += word;
