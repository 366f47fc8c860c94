export const part = '.';
