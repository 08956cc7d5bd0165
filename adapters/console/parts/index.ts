// The parts that most pages need. Larger parts, such as charts, are loaded with the pages that import them.
export * from './action.tsx';
export * from './columns.tsx';
export * from './dialog.tsx';
export * from './form.tsx';
export * from './labels.tsx';
export * from './layout.tsx';
export * from './loading.tsx';
export * from './table.tsx';
