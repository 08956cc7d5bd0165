/** Returns whether the text is a PostgreSQL URL: `postgresql://…` or `postgres://…`. */
export function isPostgresqlUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}
