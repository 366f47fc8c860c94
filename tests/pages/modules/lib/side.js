import './deep.js';
