import "./deep.js";
