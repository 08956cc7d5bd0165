import { render } from 'preact';
import { asError, followLinks, restoreSession } from './core/index.ts';
import { Problem } from './parts/index.ts';
import { Shell } from './shell.tsx';

const root = document.querySelector('#console');
if (root !== null) {
  followLinks();
  try {
    await restoreSession();
    render(<Shell />, root);
  } catch (error) {
    render(<Problem error={asError(error)} retry={() => location.reload()} />, root);
  }
}
