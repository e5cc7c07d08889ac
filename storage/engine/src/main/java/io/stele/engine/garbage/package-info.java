/**
 * The garbage collector of files that nothing names any more.
 *
 * <p>The node and all above it may call it. It may touch snapshots and the object store.
 */
@NullMarked
package io.stele.engine.garbage;

import org.jspecify.annotations.NullMarked;
