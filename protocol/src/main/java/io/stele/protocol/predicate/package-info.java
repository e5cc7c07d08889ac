/** Predicates of scans: domains of columns, and the statistics they are tested against. */
@NullMarked
package io.stele.protocol.predicate;

import org.jspecify.annotations.NullMarked;
