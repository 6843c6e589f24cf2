/** Max distance from the end at which to follow. */
const nearPixels = 120;

/**
 * * Keeps the end of the page in view while an element grows, unless the user has scrolled away.
 *
 * @param {HTMLElement} growing
 * @returns {() => void} scrolls to the end and resumes
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
