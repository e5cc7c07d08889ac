package io.stele.objectstore.metrics;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A marker of metric getters whose values count from the start of the process and never fall:
 * counters of OpenMetrics. Numbers without this annotation are gauges.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Cumulative {}
