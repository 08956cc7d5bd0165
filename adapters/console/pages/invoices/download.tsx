import { useState } from 'preact/hooks';
import { asError } from '../../core/index.ts';
import { Problem } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

interface DownloadProps {
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly load: () => Promise<Uint8Array>;
}

/** A button that loads a file from the API and saves it. */
export function Download({ label, name, type, load }: DownloadProps) {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const download = async () => {
    setRunning(true);
    setError(null);
    try {
      saveFile(await load(), { name, type });
    } catch (failure) {
      setError(asError(failure));
    }
    setRunning(false);
  };
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => void download()}>
        {isRunning ? texts.common.working : label}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** Lets the browser save bytes as a file. */
export function saveFile(bytes: Uint8Array, file: { readonly name: string; readonly type: string }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: file.type }));
  link.download = file.name;
  link.click();
  // Some browsers read the file only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
