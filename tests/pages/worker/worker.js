importScripts("part.js");
fetch("data.json");
setInterval(() => {}, 10);
