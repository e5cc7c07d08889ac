/** What turns the artifacts of Trino on Maven Central into a server one can start. */
@NullMarked
package io.stele.distribution;

import org.jspecify.annotations.NullMarked;
