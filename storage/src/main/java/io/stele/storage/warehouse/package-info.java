/** The location of a warehouse, and the object store that holds it. */
@NullMarked
package io.stele.storage.warehouse;

import org.jspecify.annotations.NullMarked;
