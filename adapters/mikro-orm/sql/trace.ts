/** Called with every statement and what it binds, for diagnosis and for tests that count and explain. */
export type Trace = (statement: string, parameters: readonly unknown[]) => void;
