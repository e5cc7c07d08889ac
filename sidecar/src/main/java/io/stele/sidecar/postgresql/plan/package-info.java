/**
 * Fixed plans: statements that need rows by key, by a range of keys or by an index, and no
 * optimizer.
 */
@NullMarked
package io.stele.sidecar.postgresql.plan;

import org.jspecify.annotations.NullMarked;
