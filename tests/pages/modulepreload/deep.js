export const deep = '.';
