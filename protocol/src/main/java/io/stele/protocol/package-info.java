/** Names and wire of Stele: what every floor, and every client, agrees on. Compiles for Java 17. */
@NullMarked
package io.stele.protocol;

import org.jspecify.annotations.NullMarked;
