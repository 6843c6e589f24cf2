/** Nearer to the end than this, somebody reads along. */
const nearPixels = 120;

/**
 * Keeps the end of the page in view while an element grows, unless somebody has scrolled away from it.
 *
 * @param {HTMLElement} growing
 * @returns {() => void} goes to the end and follows again
 */
export function createFollower(growing) {
  const page = document.documentElement;
  let isFollowing = false;
  const isShown = () => growing.getClientRects().length > 0;
  const toEnd = () => scrollTo({ top: page.scrollHeight, behavior: 'instant' });
  addEventListener('scroll', () => {
    if (isShown()) isFollowing = page.scrollHeight - scrollY - innerHeight < nearPixels;
  });
  new ResizeObserver(() => {
    if (isFollowing && isShown()) toEnd();
  }).observe(growing);
  return () => {
    isFollowing = true;
    toEnd();
  };
}
