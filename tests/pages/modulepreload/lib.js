import { deep } from "./deep.js";
export const word = deep;
