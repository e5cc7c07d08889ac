/**
 * Immutable objects named by a path: the contract of a store, its local, in-memory and
 * fault-injecting forms, and the probe of what every form must do.
 *
 * <p>All floors above may call it. It may touch protocol, the file tools of cache, and {@code
 * retrieval} and {@code fault}; never a store's own client.
 */
@NullMarked
package io.stele.objectstore;

import org.jspecify.annotations.NullMarked;
