package ranksieve.engines;

import ciir.umass.edu.learning.DataPoint;
import ciir.umass.edu.learning.DenseDataPoint;
import ciir.umass.edu.learning.Ranker;
import ciir.umass.edu.learning.RankerFactory;
import java.util.IdentityHashMap;
import java.util.Map;

/** RankLib, whose documents are lines of LETOR text: features are counted from 1. */
public final class RankLib implements Engine, Engines {
    @Override
    public Engine get(String name) {
        return name.equals("ranklib") ? this : null;
    }

    @Override
    public Scorer load(String kind, String model, String[] names) {
        Ranker ranker = new RankerFactory().loadRankerFromString(model);
        return values -> Double.toString(ranker.eval(DOCUMENTS.computeIfAbsent(values, RankLib::document)));
    }

    /** Documents that were read from their lines before, by the array of their values. */
    private static final Map<double[], DataPoint> DOCUMENTS = new IdentityHashMap<>();


    private static DataPoint document(double[] values) {
        StringBuilder line = new StringBuilder("0 qid:1");
        for (int feature = 0; feature < values.length; feature++) {
            if (!Double.isNaN(values[feature])) {
                line.append(' ').append(feature + 1).append(':').append(values[feature]);
            }
        }
        return new DenseDataPoint(line.toString());
    }
}
