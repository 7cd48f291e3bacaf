# SPDX-License-Identifier: Apache-2.0
# Convolutions down and up again, with a loss and an accuracy over pixels.
import torch
from torch import nn


def twice(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.LeakyReLU(0.1),
    )


class Pixels(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.fine, self.middle, self.coarse = twice(3, 4), twice(4, 8), twice(8, 16)
        self.smaller = nn.MaxPool2d(2)
        self.learned = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.smooth = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.back, self.last = twice(16, 8), twice(12, 4)
        self.classes = nn.Conv2d(4, classes, kernel_size=1)

    def forward(self, image):
        fine = self.fine(image)
        middle = self.middle(self.smaller(fine))
        coarse = self.coarse(self.smaller(middle))
        back = self.back(torch.cat((self.learned(coarse), middle), 1))
        return self.classes(self.last(torch.cat((self.smooth(back), fine), 1)))


scores = Pixels().eval()(torch.rand(1, 3, 16, 16))
rows = scores.permute(0, 2, 3, 1).reshape(-1, 2)
truth = torch.zeros(1, 16, 16).long()
loss = nn.CrossEntropyLoss()(rows, truth.view(-1))
right = (rows.argmax(1).view_as(truth) == truth).float().mean()
overlap = 2 * (rows.sigmoid() * rows).sum() / (rows.sum() + 1)
picture = rows.softmax(1)[:, 1].view(16, 16).unsqueeze(0).repeat(3, 1, 1)
