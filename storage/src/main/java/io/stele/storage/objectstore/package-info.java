/**
 * Immutable objects named by a path: the interface of the warehouse, and its local, in-memory and
 * fault-injecting forms.
 */
@NullMarked
package io.stele.storage.objectstore;

import org.jspecify.annotations.NullMarked;
