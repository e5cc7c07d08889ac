/**
 * Simulated crashes, shared by the fault-injecting stores and log files.
 *
 * <p>Fault-injecting stores and log files may call it. It touches nothing.
 */
@NullMarked
package io.stele.objectstore.fault;

import org.jspecify.annotations.NullMarked;
