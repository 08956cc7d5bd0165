import { render } from 'preact';
import { replaceInvalidLanguage } from './core/browser.ts';
import { asError, restoreSession } from './core/data.ts';
import { followLinks } from './core/location.ts';
import { Problem } from './parts/layout.tsx';
import { Shell } from './shell.tsx';

const root = document.querySelector('#console');
if (root !== null) {
  replaceInvalidLanguage();
  followLinks();
  try {
    await restoreSession();
    render(<Shell />, root);
  } catch (error) {
    render(<Problem error={asError(error)} retry={() => location.reload()} />, root);
  }
}
