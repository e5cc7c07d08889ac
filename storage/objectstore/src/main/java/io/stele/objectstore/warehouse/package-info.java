/**
 * The location of a warehouse, and the object store that holds it.
 *
 * <p>Front ends and the engine's log may call it. It may touch every kind of store.
 */
@NullMarked
package io.stele.objectstore.warehouse;

import org.jspecify.annotations.NullMarked;
