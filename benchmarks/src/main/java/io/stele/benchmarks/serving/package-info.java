/** Rows by key over every port, beside PostgreSQL and Redis in the same run. */
@NullMarked
package io.stele.benchmarks.serving;

import org.jspecify.annotations.NullMarked;
