/**
 * The versioned list of files of each shard, and the container of versioned objects that the
 * catalog uses as well.
 */
@NullMarked
package io.stele.storage.manifest;

import org.jspecify.annotations.NullMarked;
