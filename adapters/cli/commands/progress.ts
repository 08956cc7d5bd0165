/** Shows a detail about the progress of a task, such as a count. */
type ShowDetail = (detail: string) => void;

/**
 * Runs a long task. Shows its title on standard error until the task ends. Shows nothing if standard error is not a
 * terminal.
 */
export async function withProgress<T>(title: string, task: (show: ShowDetail) => Promise<T>): Promise<T> {
  if (!isInteractive()) return task(() => undefined);
  const { default: spinnerOf } = await import('yocto-spinner');
  const spinner = spinnerOf({ text: title }).start();
  try {
    return await task((detail) => {
      spinner.text = `${title} (${detail})`;
    });
  } finally {
    spinner.stop();
  }
}

function isInteractive(): boolean {
  return process.stderr.isTTY && process.env.TERM !== 'dumb' && !('CI' in process.env);
}
