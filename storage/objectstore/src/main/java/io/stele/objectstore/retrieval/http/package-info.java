/**
 * Ranged GETs over HTTP/1.1 on a few threads, each of which drives many connections and reads
 * bodies straight to where they belong.
 *
 * <p>Stores that speak HTTP may call it. It may touch {@code retrieval} and the JDK.
 */
@NullMarked
package io.stele.objectstore.retrieval.http;

import org.jspecify.annotations.NullMarked;
