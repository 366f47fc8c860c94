// import "./comment.js"
import { part } from "./lib/part.js";
import "./lib/side.js";
export * from "./lib/again.js";
const text = "import './string.js'";
document.title += part + text.length;
