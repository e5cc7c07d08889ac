/** The storage floor: catalog, write-ahead log, tablets, shard files, manifests. */
@NullMarked
package io.stele.storage;

import org.jspecify.annotations.NullMarked;
