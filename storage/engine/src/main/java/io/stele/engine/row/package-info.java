/**
 * Versions of rows: one version, sequences of versions in key order, and the schema versions that
 * their bytes have.
 *
 * <p>Every package that reads or writes rows may call it. It may touch manifests.
 */
@NullMarked
package io.stele.engine.row;

import org.jspecify.annotations.NullMarked;
