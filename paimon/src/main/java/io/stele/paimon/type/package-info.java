/**
 * Translation between Paimon's types, values and predicates and Trino's.
 *
 * <p>May be called by all packages of this module. May touch {@code handle}.
 */
@NullMarked
package io.stele.paimon.type;

import org.jspecify.annotations.NullMarked;
