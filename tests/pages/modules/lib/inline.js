export { deep } from '/lib/deep.js';
