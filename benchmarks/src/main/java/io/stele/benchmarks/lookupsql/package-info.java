/** Point queries through SQL: {@code bin/stele bench lookup-sql}. */
@NullMarked
package io.stele.benchmarks.lookupsql;

import org.jspecify.annotations.NullMarked;
