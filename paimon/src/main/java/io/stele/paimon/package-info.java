/**
 * The Trino connector {@code stele_paimon}, which reads Apache Paimon lakes through the caches of
 * Stele.
 *
 * <p>Trino loads it as a plugin. It may touch all packages below; they never touch it.
 */
@NullMarked
package io.stele.paimon;

import org.jspecify.annotations.NullMarked;
