/**
 * Immutable objects named by a path: the interface of the warehouse, its local, in-memory and
 * fault-injecting forms, and the probe for what every form must do.
 */
@NullMarked
package io.stele.storage.objectstore;

import org.jspecify.annotations.NullMarked;
