export function isPostgresqlUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}
