/**
 * Fragments of a query that pull batches from each other. It does not depend on the form of rows.
 */
@NullMarked
package io.stele.scheduler.fragment;

import org.jspecify.annotations.NullMarked;
