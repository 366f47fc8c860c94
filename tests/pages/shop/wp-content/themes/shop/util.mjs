export const word = '.';
