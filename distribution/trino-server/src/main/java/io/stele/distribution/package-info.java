/** The conversion of Trino's artifacts on Maven Central to a server one can start. */
@NullMarked
package io.stele.distribution;

import org.jspecify.annotations.NullMarked;
