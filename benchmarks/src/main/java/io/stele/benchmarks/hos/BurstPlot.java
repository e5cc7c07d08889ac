package io.stele.benchmarks.hos;

import java.io.IOException;
import java.nio.file.Path;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot, written as an SVG file, of a burst like figure 8(b) of the Hologres paper. */
final class BurstPlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;

    private BurstPlot() {}

    static void write(SidecarBurst.Result result, Path file) throws IOException {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title("Scans of concurrent queries, 1 to 8 clients each")
                        .xAxisTitle("ms")
                        .yAxisTitle("share of all scans, %")
                        .build();
        chart.getStyler()
                .setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line)
                .setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(100.0);
        for (SidecarBurst.Query query : result.queries()) {
            double[] shares = result.sharesOf(query);
            double[] millis = new double[query.toWindow() - query.fromWindow()];
            double[] percent = new double[millis.length];
            for (int i = 0; i < millis.length; i++) {
                millis[i] = (query.fromWindow() + i + 0.5) * result.windowMillis();
                percent[i] = 100 * shares[query.fromWindow() + i];
            }
            chart.addSeries(query.name(), millis, percent).setMarker(SeriesMarkers.NONE);
        }
        VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
    }
}
