"""What every reader must do, by the class that `plait.testing` ships."""

from plait.data.readers import read_csv, read_libsvm, read_meka, read_xc
from plait.testing import ReaderConformance


class TestLIBSVM(ReaderConformance):
    suffix = ".libsvm"
    examples = (b"3,7 1:0.5 4:1 # both\n 2:1.5\n2:-1e-3\n12 1:1 2:2 3:3\n", b"+1,-4 10:1 11:2\r\n\r\n0 0:1\n")

    def read(self, path):
        return read_libsvm(path)


class TestXC(ReaderConformance):
    suffix = ".txt"
    examples = (b"3 5 4\n0,2 1:0.5 3:1\n 0:2\n3 4:-1e5\n",)

    def read(self, path):
        return read_xc(path)


class TestCSV(ReaderConformance):
    suffix = ".csv"
    examples = (b'size,"sky, today",sea\n1.5,blue,1\nNA,"gr""ey",0\n', b"a;b;sea\r\ntrue;1e5;1\r\nFALSE;-7;0\r\n")

    def read(self, path):
        return read_csv(path, ["sea"])


class TestMEKA(ReaderConformance):
    suffix = ".arff"
    examples = (
        b"@relation 'beach: -C 1'\n@attribute sea {0,1}\n@attribute size numeric\n@data\n1,0.5\n0,?\n",
        b"@relation 'b: -C 1'\n@attribute sea {0,1}\n@attribute sky {blue,'gr ey'}\n@data\n{0 1}\n{1 'gr ey'}\n",
    )

    def read(self, path):
        return read_meka(path)
