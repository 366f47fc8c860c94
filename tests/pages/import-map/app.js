import { word } from "word";
import { part } from "parts/one.js";
document.title += word + part;
