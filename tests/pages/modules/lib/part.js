import {
  deep,
} from "./deep.js";
export const part = deep;
