/** Whether it is the URL of a database on a server: `postgresql://…` or `postgres://…`. */
export function isPostgresqlUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}
