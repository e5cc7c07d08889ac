package io.stele.benchmarks.hos;

import io.stele.scheduler.SimulatedBurst;
import java.io.IOException;
import java.nio.file.Path;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot, written as an SVG file, of a simulated burst like figure 8(b) of the Hologres paper. */
final class BurstPlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;

    private BurstPlot() {}

    static void write(SimulatedBurst.Result result, Path file) throws IOException {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title("Processor time of concurrent queries, 1 to 8 contexts each")
                        .xAxisTitle("ms (virtual time, 2 workers)")
                        .yAxisTitle("share of processor time, %")
                        .build();
        chart.getStyler()
                .setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line)
                .setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(100.0);
        double windowMillis = result.windowNanos() / 1e6;
        for (SimulatedBurst.Query query : result.queries()) {
            int from =
                    (int) (query.fromWindow() * SimulatedBurst.WINDOW_NANOS / result.windowNanos());
            int to = (int) (query.toWindow() * SimulatedBurst.WINDOW_NANOS / result.windowNanos());
            double[] millis = new double[to - from];
            double[] percent = new double[to - from];
            for (int window = from; window < to; window++) {
                millis[window - from] = (window + 0.5) * windowMillis;
                percent[window - from] = 100 * result.sharesOf(query.name())[window];
            }
            chart.addSeries(query.name(), millis, percent).setMarker(SeriesMarkers.NONE);
        }
        VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
    }
}
