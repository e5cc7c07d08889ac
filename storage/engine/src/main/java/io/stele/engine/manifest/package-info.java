/**
 * The versioned list of files of each shard, and the container of versioned objects that the
 * catalog uses as well.
 *
 * <p>Everything of the engine but the log may call it. It may touch object stores, and of the log a
 * position in it.
 */
@NullMarked
package io.stele.engine.manifest;

import org.jspecify.annotations.NullMarked;
