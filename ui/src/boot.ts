// Sets the theme before the first paint, so that nothing flashes.

const chosen = localStorage.getItem('corten.theme');
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
