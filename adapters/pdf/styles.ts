import type { TextStyle } from './sheet.ts';

export const gray = '#565d66';
export const black = '#1a1d21';
export const lightGray = '#d9dde2';

export const text: TextStyle = { size: 9.5 };
export const label: TextStyle = { size: 8.5, color: gray };
/** Style of text from tenants and customers. Its direction may differ from that of the document. */
export const own: TextStyle = { ...text, direction: 'auto' };
/** Style of names and addresses. All of them together must fit on one page. */
export const party: TextStyle = { ...own, maxLines: 4 };
export const small: TextStyle = { ...label, direction: 'auto', maxLines: 6 };
export const stressed: TextStyle = { size: 12.5, weight: 'bold' };

export const gap = 16;
