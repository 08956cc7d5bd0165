import { render } from 'preact';
import { asError } from './core/load.ts';
import { followLinks } from './core/location.ts';
import { restoreSession } from './core/session.ts';
import { Problem } from './parts/loading.tsx';
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
