// Parts that are loaded when they are needed. After an upgrade the old parts are gone: the page loads
// itself anew once, and then says so.

const MARK = 'corten.reloaded';

export async function chunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    const loaded = await load();
    sessionStorage.removeItem(MARK);
    return loaded;
  } catch (error) {
    if (sessionStorage.getItem(MARK) === null) {
      sessionStorage.setItem(MARK, 'yes');
      location.reload();
    }
    throw new Error('A part of the page could not be loaded; the service may be of another version now. Load the page again.', { cause: error });
  }
}
