/**
 * Data files of a warehouse through pages on local disks.
 *
 * <p>Front ends open it, and the engine reads by it. It may touch the contract of object stores and
 * the page cache of the module cache.
 */
@NullMarked
package io.stele.objectstore.cached;

import org.jspecify.annotations.NullMarked;
